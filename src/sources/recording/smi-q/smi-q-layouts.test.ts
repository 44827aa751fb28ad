import { describe, expect, test } from 'vitest';
import { type MetricId, metric } from '../../../model/catalogue.ts';
import { decode, readingsOf, shapeOf } from '../decode-text.ts';
import { output } from './output-text.ts';

const MIB = 2 ** 20;

/** The readings of the first tick that are there, as the text has them. */
function readings(log: string, ...wanted: (readonly [MetricId, number])[]) {
  const decoded = decode(log);
  return wanted.map(([id, unit]) => {
    const [value] = readingsOf(decoded, id);
    return typeof value === 'number' ? Math.round((value / unit) * 1e6) / 1e6 : value;
  });
}

function processes(log: string, tick = 0, device = 0) {
  const found = decode(log).ticks[tick]?.devices[device]?.processes;
  return found === undefined || 'absent' in found
    ? found
    : found.map(({ pid, kind, name, memoryBytes }) => [pid, kind, name, memoryBytes]);
}

describe('drivers of other years', () => {
  test('304: other titles, sizes in MB, and processes that only compute', () => {
    const log = output(`    PCI
        Bus                     : 0x02
        Bus Id                  : 0000:02:00.0
        GPU Link Info
            PCIe Generation
                Max             : 2
                Current         : 1
            Link Width
                Max             : 16x
                Current         : 8x
    Fan Speed                   : 30 %
    Performance State           : P12
    Clocks Throttle Reasons
        Idle                    : Active
        User Defined Clocks     : Not Active
        SW Power Cap            : Not Active
        HW Slowdown             : Active
        Unknown                 : Not Active
    Memory Usage
        Total                   : 4799 MB
        Used                    : 11 MB
        Free                    : 4788 MB
    Compute Mode                : Default
    Utilization
        Gpu                     : 99 %
        Memory                  : 12 %
    Ecc Mode
        Current                 : Enabled
        Pending                 : Enabled
    ECC Errors
        Volatile
            Single Bit            
                Device Memory   : 0
                Register File   : 0
                L1 Cache        : 0
                L2 Cache        : 0
                Texture Memory  : 0
                Total           : 7
            Double Bit            
                Device Memory   : 0
                Total           : 0
    Temperature
        Gpu                     : 41 C
    Power Readings
        Power Management        : Supported
        Power Draw              : 50.12 W
        Power Limit             : 225.00 W
        Default Power Limit     : 225.00 W
        Min Power Limit         : 150.00 W
        Max Power Limit         : 225.00 W
    Clocks
        Graphics                : 324 MHz
        SM                      : 324 MHz
        Memory                  : 324 MHz
    Compute Processes
        Process ID              : 4711
            Name                : ./a.out
            Used GPU Memory     : 56 MB`);
    expect(
      readings(
        log,
        ['fan_speed_ratio', 0.01],
        ['performance_state', 1],
        ['memory_used_bytes', MIB],
        ['memory_total_bytes', MIB],
        ['utilization_ratio', 0.01],
        ['temperature_celsius', 1],
        ['power_watts', 1],
        ['power_limit_watts', 1],
        ['ecc_corrected_volatile_total', 1],
        ['pcie_link_width', 1],
        ['clock_event_reasons', 1],
      ),
    ).toEqual([30, 12, 11, 4799, 99, 41, 50.12, 225, 7, 8, 0x9]);
    expect(processes(log)).toEqual([[4711, 'compute', 'a.out', 56 * MIB]]);
  });

  test('Hopper: parity and SEC-DED apart, the total is their sum', () => {
    const log = output(`    ECC Errors
        Volatile
            SRAM Correctable              : 1
            SRAM Uncorrectable Parity     : 2
            SRAM Uncorrectable SEC-DED    : 3
            DRAM Correctable              : 10
            DRAM Uncorrectable            : 20
        Aggregate
            SRAM Correctable              : 0
            SRAM Uncorrectable Parity     : 0
            SRAM Uncorrectable SEC-DED    : 0
            DRAM Correctable              : 0
            DRAM Uncorrectable            : N/A
            SRAM Threshold Exceeded       : No
        Aggregate Uncorrectable SRAM Sources
            SRAM L2                       : 4
            SRAM SM                       : 0
            SRAM Microcontroller          : 5
            SRAM PCIE                     : 0
            SRAM Other                    : 0
    Compute Mode                          : Exclusive_Process`);
    expect(
      readings(
        log,
        ['ecc_corrected_volatile_total', 1],
        ['ecc_uncorrected_volatile_total', 1],
        ['ecc_uncorrected_aggregate_total', 1],
        ['ecc_sram_threshold_exceeded', 1],
        ['ecc_sram_l2_uncorrected_aggregate_total', 1],
        ['ecc_sram_mcu_uncorrected_aggregate_total', 1],
        ['compute_mode', 1],
      ),
    ).toEqual([11, 25, 'not-collected', 0, 4, 5, 3]);
  });

  test('610: limits in a group of their own, other names for the versions', () => {
    const log = output(`    GPU Power Readings
        Average Power Draw                             : 98.40 W
        Instantaneous Power Draw                       : 101.25 W
        GPU Ceiling Power Limit
            Current Power Limit                        : 250.00 W
            Requested Power Limit                      : 240.00 W
            Default Power Limit                        : 250.00 W
            Min Power Limit                            : 105.00 W
            Max Power Limit                            : 350.00 W
        GPU Base Power
            Current                                    : N/A`)
      .replace('Driver Version', 'KMD Version')
      .replace('CUDA Version', 'CUDA UMD Version');
    expect(
      readings(
        log,
        ['power_watts', 1],
        ['power_average_watts', 1],
        ['power_instant_watts', 1],
        ['power_limit_watts', 1],
        ['power_limit_requested_watts', 1],
        ['power_limit_max_watts', 1],
      ),
    ).toEqual([98.4, 98.4, 101.25, 250, 240, 350]);
    expect(decode(log).devices[0]).toMatchObject({ driverVersion: '510.73.08', facts: { 'cuda-version': '11.6' } });
  });

  test('MIG: instances with their memory, utilisation of the card is not reported', () => {
    const instance = (gi: number, used: number, group: string) => `    MIG Device
        Index                             : ${gi - 1}
        GPU Instance ID                   : ${gi}
        Compute Instance ID               : 0
        Device Attributes
            Shared
                Multiprocessor count      : 42
                Copy Engine count         : 3
        ECC Errors
            Volatile
                SRAM Uncorrectable        : ${gi}
        ${group}FB Memory Usage
            Total                         : 20096 MiB
            Used                          : ${used} MiB
            Free                          : 20085 MiB
        ${group}BAR1 Memory Usage
            Total                         : 32767 MiB
            Used                          : 0 MiB
            Free                          : 32767 MiB`;
    const log = output(`    MIG Mode
        Current                           : Enabled
        Pending                           : Enabled
${instance(1, 11, '')}
${instance(2, 13, 'Shared ')}
    FB Memory Usage
        Total                             : 40960 MiB
        Used                              : 24 MiB
    Utilization
        Gpu                               : N/A
        Memory                            : N/A
    Processes
        GPU instance ID                   : 2
        Compute instance ID               : 0
        Process ID                        : 815
            Type                          : C
            Name                          : /usr/bin/python3
            Used GPU Memory               : 7 MiB`);
    const decoded = decode(log);
    expect(readingsOf(decoded, 'memory_used_bytes')).toEqual([24 * MIB, 11 * MIB, 13 * MIB]);
    expect(readingsOf(decoded, 'ecc_sram_uncorrected_volatile_total')).toEqual(['not-collected', 1, 2]);
    expect(readingsOf(decoded, 'utilization_ratio')).toEqual(['mig', 'not-collected', 'not-collected']);
    expect(readingsOf(decoded, 'mig_mode')[0]).toBe(1);
    expect([0, 1, 2].map((device) => processes(log, 0, device))).toEqual([
      [[815, 'compute', 'python3', 7 * MIB]],
      [],
      [[815, 'compute', 'python3', 7 * MIB]],
    ]);
    expect(decoded.rows).toBe(1);
  });

  test('a selection of sections: samples beside the values are no values', () => {
    const log = output(`    Utilization
        Gpu                               : 20 %
        Memory                            : 5 %
    GPU Utilization Samples
        Duration                          : 18446744073709.22 sec
        Number of Samples                 : 99
        Max                               : 100 %
        Min                               : 0 %
        Avg                               : 50 %
    Power Readings
        Power Draw                        : 60.00 W
    Power Samples
        Duration                          : 2.38 sec
        Max                               : 99.00 W
        Avg                               : 70.00 W
    Clocks
        SM                                : 1410 MHz
    SM Clock Samples
        Max                               : 1980 MHz`);
    expect(readings(log, ['utilization_ratio', 0.01], ['power_watts', 1], ['sm_clock_hertz', 1e6])).toEqual([
      20, 60, 1410,
    ]);
    expect(processes(log)).toEqual({ absent: 'not-collected' });
  });

  test('one word for a whole group', () => {
    const log = output(`    Clocks Throttle Reasons               : N/A
    Utilization                           : Unknown Error
    Remapped Rows                         : N/A
    Processes                             : N/A`);
    expect(
      readings(
        log,
        ['clock_event_reasons', 1],
        ['utilization_ratio', 1],
        ['memory_utilization_ratio', 1],
        ['remapped_rows_pending', 1],
      ),
    ).toEqual(['not-supported', 'error', 'error', 'not-supported']);
    expect(processes(log)).toEqual({ absent: 'not-supported' });
  });

  test('a card that is lost', () => {
    const log = output(`    Fan Speed                             : GPU is lost
    Utilization
        Gpu                               : GPU is lost`);
    const [sample] = decode(log).ticks[0]!.devices;
    expect([sample?.state, sample?.readings.get('power_watts')]).toEqual(['lost', { absent: 'gpu-lost' }]);
    const other = output('    Fan Speed                             : 30 %');
    const said = `${other}Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU\n`;
    expect(shapeOf(decode(said))).toEqual(['GPU-aaaa0001-0000-4000-8000-000000000001 log-00000000:02:00.0!lost']);
    // The message may come first: the cards that are there keep their numbers all the same.
    const [message = ''] = said.slice(other.length).split('\n');
    const { devices } = decode(`${message}\n${other}`);
    expect(devices.map(({ index, pciBusId }) => `${index} ${pciBusId}`)).toEqual([
      expect.stringMatching(/^0 (?!00000000:02)/),
      '1 00000000:02:00.0',
    ]);
  });

  test('numbers that no card can have, and texts where a number belongs', () => {
    const log = output(`    Fan Speed                             : 4294967295 %
    Utilization
        Gpu                               : 101 %
        Memory                            : lots
    Temperature
        GPU Current Temp                  : 9999 C`);
    expect(
      readings(
        log,
        ['fan_speed_ratio', 1],
        ['utilization_ratio', 1],
        ['memory_utilization_ratio', 1],
        ['temperature_celsius', 1],
      ),
    ).toEqual(['error', 'error', 'error', 'error']);
    expect(decode(log).faults).toEqual({ 'impossible-values': 3, 'unreadable-cells': 1 });
  });
});

test('every key leads to a metric of the catalogue', () => {
  expect(metric('remap_banks_max').unit).toBe('count');
  const log = output(`    Remapped Rows
        Bank Remap Availability Histogram
            Max                           : 640 bank(s)
            None                          : 0 bank(s)
    Voltage
        Graphics                          : 912.500 mV
    Clocks Event Reasons Counters
        SW Power Capping                  : 5450731221 us`);
  expect(
    readings(log, ['remap_banks_max', 1], ['core_voltage_volts', 1], ['clock_event_power_cap_seconds_total', 1]),
  ).toEqual([640, 0.9125, 5450.731221]);
});
