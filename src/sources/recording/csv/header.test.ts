import { expect, test } from 'vitest';
import { parseHeader } from './header.ts';

test('tells headers of devices, of processes and of other queries from rows and text', () => {
  const check = (line: string, kind: string | undefined) => expect(parseHeader(line)?.kind, line).toBe(kind);
  check('timestamp, name, utilization.gpu [%]', 'gpus');
  check('Time,GPU_ID,Utilization', 'gpus');
  check('utilization.gpu [%]', 'gpus');
  check('"timestamp","gpu_util"', 'gpus');
  check(',timestamp,gpu_util', 'gpus');
  check('epoch,step,loss,gpu_util', 'gpus');
  check('timestamp, gpu_name, gpu_bus_id, gpu_serial, gpu_uuid, pid, process_name, used_gpu_memory [MiB]', 'processes');
  check(
    'gpu_name, gpu_uuid, pid, gpu_utilization [%], mem_utilization [%], max_memory_usage [MiB], time [ms]',
    'other',
  );
  check('gpu_uuid, retired_pages.address, retired_pages.cause', 'other');
  check('epoch,step,loss,accuracy,gpu_util', undefined);
  check('2025/06/12 01:27:28.446, NVIDIA A100-SXM4-80GB, 0 %', undefined);
  check('0, Orin (nvgpu), [N/A], [N/A]', undefined);
  check('timestamp, 5 %', undefined);
  check('# HELP nvidia_smi_gpu_info A metric with, driver_version, name, uuid', undefined);
  check('"device_name": "NVIDIA",', undefined);
  check('power', undefined);
  check('time', undefined);
  check('salloc: Granted job allocation 84172', undefined);
  check('Please check the time, then the name', undefined);
  check('', undefined);
});
