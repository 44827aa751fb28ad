"""What gpustat does for `gpustat -cup`, with nothing but the standard library: the least that a Python tool can take."""

import ctypes
import os
import pwd
import sys

nvml = ctypes.CDLL(sys.argv[1])


class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]


class Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


class Process(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


def number(function, device, *arguments):
    value = ctypes.c_uint()
    code = getattr(nvml, function)(device, *arguments, ctypes.byref(value))
    return value.value if code == 0 else None


def text(function, device):
    buffer = ctypes.create_string_buffer(96)
    getattr(nvml, function)(device, buffer, 96)
    return buffer.value.decode()


def processes(device):
    count = ctypes.c_uint(64)
    entries = (Process * 64)()
    if nvml.nvmlDeviceGetComputeRunningProcesses_v3(device, ctypes.byref(count), entries) != 0:
        return
    for entry in entries[: count.value]:
        try:
            user = pwd.getpwuid(os.stat(f"/proc/{entry.pid}").st_uid).pw_name
            with open(f"/proc/{entry.pid}/cmdline", encoding="utf-8", errors="replace") as file:
                command = os.path.basename(file.read().split("\0")[0])
        except OSError:
            continue
        yield f"{user}:{command}/{entry.pid}({entry.memory >> 20}M)"


nvml.nvmlInit_v2()
count = ctypes.c_uint()
nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
for index in range(count.value):
    device = ctypes.c_void_p()
    nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device))
    memory, use = Memory(), Utilization()
    nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory))
    nvml.nvmlDeviceGetUtilizationRates(device, ctypes.byref(use))
    text("nvmlDeviceGetUUID", device)
    for codec in ("Encoder", "Decoder"):
        period = ctypes.c_uint()
        share = ctypes.c_uint()
        getattr(nvml, f"nvmlDeviceGet{codec}Utilization")(device, ctypes.byref(share), ctypes.byref(period))
    power = (number("nvmlDeviceGetPowerUsage", device) or 0) // 1000
    limit = (number("nvmlDeviceGetEnforcedPowerLimit", device) or 0) // 1000
    number("nvmlDeviceGetFanSpeed", device)
    print(
        f"[{index}] {text('nvmlDeviceGetName', device)} | {number('nvmlDeviceGetTemperature', device, 0)}°C,"
        f" {use.gpu} % | {power} / {limit} W | {memory.used >> 20} / {memory.total >> 20} MB |",
        " ".join(processes(device)),
    )
nvml.nvmlShutdown()
