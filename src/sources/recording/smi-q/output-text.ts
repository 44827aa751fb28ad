/** `nvidia-smi -q` of one card with these lines below its head. For tests. */
export function output(
  lines: string,
  {
    time = 'Thu Aug 25 20:30:44 2022',
    bus = '00000000:01:00.0',
    uuid = 'GPU-aaaa0001-0000-4000-8000-000000000001',
  } = {},
): string {
  return `
==============NVSMI LOG==============

Timestamp                                 : ${time}
Driver Version                            : 510.73.08
CUDA Version                              : 11.6

Attached GPUs                             : 1
GPU ${bus}
    Product Name                          : Quadro K2200
    GPU UUID                              : ${uuid}
    Minor Number                          : 0
${lines}
`;
}
