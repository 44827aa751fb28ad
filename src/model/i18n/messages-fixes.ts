import type { RuleId } from '../finding.ts';
import type { Text } from './text.ts';

/** What to change for each cause, and the check that proves it worked. */
export const FIX_MESSAGES = {
  'fix.gpu-lost': {
    en: 'Save nvidia-bug-report.sh, then switch the machine off and on. If it happens again: check power supply, cables and riser, reseat the card, lower the PCIe generation, have the card replaced. It worked if the GPU stays listed under full load for a day.',
    zh: '先用 nvidia-bug-report.sh 保存日志，再整机断电重启；反复出现时检查电源、供电线与转接线，重新插拔，降低 PCIe 代数，必要时返修。验证：满载一天不再掉卡。',
  },
  'fix.xid': { en: 'See the action that stands with each Xid.', zh: '请按各 Xid 对应的处理办法操作。' },
  'fix.ecc-growth': {
    en: 'Uncorrected errors: stop work on this GPU and reset it; results since then may be wrong. Corrected ones: watch the rate, and run a memory diagnosis (dcgmi diag -r 3) at the next maintenance. It worked if the counters stop growing.',
    zh: '出现无法纠正的错误时，请停用并复位该卡，其后的计算结果可能有误；仅为已纠正错误时持续观察，并在下次维护时做显存诊断（dcgmi diag -r 3）。验证：计数不再增长。',
  },
  'fix.row-remap': {
    en: 'Pending: reset the GPU when it is drained. Failure flag set: have the card replaced after a field diagnosis. It worked if nothing is pending after the reset.',
    zh: '待生效：排空任务后复位该 GPU；失败标志已置位：现场诊断确认后返修。验证：复位后不再有待生效项。',
  },
  'fix.power-brake': {
    en: 'Something outside the card asks it to slow down: check power supply, power cables and the power policy of the BMC or rack. It worked if the reason "power brake" no longer appears under load.',
    zh: '卡外的供电系统要求降频：请检查电源、供电线以及 BMC 或机柜的功耗策略。验证：满载时不再出现“外部供电制动”。',
  },
  'fix.thermal-throttle': {
    en: 'Clean fans and filters, raise the fan curve, check airflow and room temperature, renew the thermal paste or pads of an old card; until then lower the power limit. It worked if the clock at full load no longer falls.',
    zh: '清理风扇与滤网，提高风扇转速，检查风道与机房温度，老卡更换导热硅脂或导热垫；临时可降低功耗上限。验证：满载时频率不再下降。',
  },
  'fix.pcie-degraded': {
    en: 'Reseat the card and the riser, check the slot and the generation set in the BIOS. It worked if generation and width reach their maximum under load.',
    zh: '重新插拔显卡与转接卡，检查插槽及 BIOS 中的 PCIe 代数设置。验证：负载下代数与宽度达到最大值。',
  },
  'fix.nvlink-degraded': {
    en: 'Look at "nvidia-smi nvlink -s" and "-e", reseat the bridge or check the cables, look at the fabric manager, reset the GPUs of the link. It worked if all links are active and the error counters stand still.',
    zh: '查看 nvidia-smi nvlink -s 与 -e，重新插拔桥接器或检查线缆，检查 fabric manager，并复位链路两端的 GPU。验证：链路全部激活且错误计数不再增长。',
  },
  'fix.thermal-outlier': {
    en: 'Compare fan, airflow and dust of this slot with the others, and swap two cards to see whether the heat moves with the card or stays with the slot.',
    zh: '与其他卡对比该槽位的风扇、风道与积灰；交换两块卡，看高温跟着卡走还是留在槽位。',
  },
  'fix.power-cap': {
    en: 'Compare "nvidia-smi -q -d POWER" with the other cards. If the limit was lowered on purpose, nothing has to be done; otherwise set it back with "nvidia-smi -pl". A card that is capped far below its limit: check cables, power supply and BMC policy.',
    zh: '用 nvidia-smi -q -d POWER 与其他卡对比。若上限是有意调低的则无需处理，否则用 nvidia-smi -pl 恢复；若功耗远低于上限就被限频，请检查供电线、电源与 BMC 功耗策略。',
  },
  'fix.collective-hang': {
    en: 'Dump the stacks of all ranks (py-spy dump), that of the odd GPU first; set TORCH_NCCL_ASYNC_ERROR_HANDLING=1 and a timeout, so that a hang ends the job instead of holding the GPUs. Look for a rank that left a collective early.',
    zh: '对各 rank 抓栈（py-spy dump），先看行为不同的那块卡；设置 TORCH_NCCL_ASYNC_ERROR_HANDLING=1 与超时，使卡死的任务退出而不是一直占卡。检查是否有 rank 提前退出集合通信。',
  },
  'fix.oom-fragmentation': {
    en: 'Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, pad inputs to a few fixed shapes, and empty the cache between phases. It worked if reserved and allocated memory stay close.',
    zh: '设置 PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True，把输入补齐到少数几种固定形状，并在阶段之间清空缓存。验证：保留显存与已分配显存接近。',
  },
  'fix.memory-leak': {
    en: 'Look for losses or outputs kept with their graph (use .item() or .detach()), growing lists and hooks, and evaluation outside no_grad. It worked if the lowest memory per epoch stays level for five epochs.',
    zh: '检查是否保留了带计算图的 loss 或输出（改用 .item() 或 .detach()）、不断增长的列表与 hook，以及未放入 no_grad 的评估。验证：连续五个 epoch 的显存低位持平。',
  },
  'fix.memory-near-limit': {
    en: 'Smaller micro-batch with gradient accumulation, bf16, activation checkpointing, ZeRO or FSDP. It worked if the peak stays below 90%.',
    zh: '减小 micro-batch 并用梯度累积保持等效批量，启用 bf16、激活重计算、ZeRO 或 FSDP。验证：峰值低于 90%。',
  },
  'fix.foreign-process': {
    en: 'Agree with its owner, move one of the two, or use exclusive mode or MIG. It worked if the time per step returns to what it was.',
    zh: '与其所有者协调，迁走其中一个，或使用独占模式、MIG。验证：单步耗时恢复。',
  },
  'fix.ghost-memory': {
    en: 'Find what still has the device open (fuser -v /dev/nvidia*) and end leftover workers; if nothing has, reset the GPU. Look into containers on this machine too. It worked if the memory is free again.',
    zh: '用 fuser -v /dev/nvidia* 查找仍占用设备的进程并结束残留子进程，仍不释放再复位 GPU；同时检查本机的容器。验证：显存已释放。',
  },
  'fix.not-on-gpu': {
    en: 'Move model and data to the device (.to("cuda")) and check that a build of the framework with CUDA is installed. It worked if utilisation rises above 0.',
    zh: '把模型与数据移到 GPU（.to("cuda")），并确认安装的是带 CUDA 的框架版本。验证：利用率不再为 0。',
  },
  'fix.imbalance': {
    en: 'Use DistributedDataParallel with a DistributedSampler instead of DataParallel; if one card must hold the model, shard it (FSDP or ZeRO-3). It worked if all GPUs are within 10 points of each other.',
    zh: '用 DDP 与 DistributedSampler 取代 DataParallel；单卡放不下模型时改用 FSDP 或 ZeRO-3 分片。验证：各卡利用率相差不超过 10 个百分点。',
  },
  'fix.straggler': {
    en: 'Compare clock, temperature, PCIe link and other processes of this GPU with its peers, and exclude it from the job for one run. It worked if the time per step falls.',
    zh: '对比该卡与其他卡的频率、温度、PCIe 链路和其他进程，并在一次运行中把它排除。验证：单步耗时下降。',
  },
  'fix.memory-imbalance': {
    en: 'Call torch.cuda.set_device(local_rank) before anything else, and load checkpoints with map_location. It worked if no card carries processes of other ranks.',
    zh: '最先调用 torch.cuda.set_device(local_rank)，加载检查点时指定 map_location。验证：各卡上不再有其他 rank 的进程。',
  },
  'fix.data-starvation': {
    en: 'Raise num_workers step by step up to the free cores and watch the time per step; pin_memory with non_blocking copies, persistent_workers, prefetch_factor=4; decode and augment offline or on the GPU; keep the data on a local SSD. More workers on full cores make it slower. It worked if the idle share falls and samples per second rise.',
    zh: '逐步增大 num_workers（不超过空闲核数）并观察单步耗时；开启 pin_memory 与 non_blocking 拷贝、persistent_workers、prefetch_factor=4；把解码与增强移到离线或 GPU 上；数据放在本地 SSD。核已占满时再加 worker 反而更慢。验证：空闲占比下降、每秒样本数上升。',
  },
  'fix.epoch-gap': {
    en: 'persistent_workers=True, keep one iterator over epochs, start the next epoch’s loading early, make validation loading faster. It worked if the gap between epochs falls below two steps.',
    zh: '开启 persistent_workers、跨 epoch 复用迭代器、提前开始下一 epoch 的加载、加快验证集加载。验证：epoch 间隔小于两步。',
  },
  'fix.checkpoint-stall': {
    en: 'Save asynchronously or sharded (torch.distributed.checkpoint.async_save), to a local disk first, and less often. It worked if the dips at a save disappear.',
    zh: '改为异步或分片保存（torch.distributed.checkpoint.async_save），先写本地盘，并降低频率。验证：保存时不再出现利用率低谷。',
  },
  'fix.comm-bound': {
    en: 'Gradient accumulation with no_sync, larger buckets, bf16 all-reduce; check "nvidia-smi topo -m" and NCCL_DEBUG=INFO for P2P over NVLink. It worked if throughput per GPU comes near that of one GPU.',
    zh: '梯度累积配合 no_sync、增大通信桶、BF16 通信；用 nvidia-smi topo -m 与 NCCL_DEBUG=INFO 检查是否走 NVLink P2P。验证：单卡吞吐接近单卡训练。',
  },
  'fix.copy-bound': {
    en: 'pin_memory with non_blocking copies, fewer .cpu() and .item(), larger chunks, keep data on the GPU. It worked if PCIe traffic falls and utilisation rises.',
    zh: '使用 pin_memory 与 non_blocking 拷贝，减少 .cpu() 与 .item()，合并小拷贝，数据尽量留在 GPU。验证：PCIe 流量下降、利用率上升。',
  },
  'fix.launch-bound': {
    en: 'Larger batch, torch.compile(mode="reduce-overhead") or CUDA graphs, fused optimiser, no synchronisation per step. It worked if power and SM activity rise at the same utilisation.',
    zh: '增大 batch，使用 torch.compile(mode="reduce-overhead") 或 CUDA Graphs、融合优化器，避免每步同步。验证：同等利用率下功耗与 SM 活跃度上升。',
  },
  'fix.bandwidth-bound': {
    en: 'bf16 or AMP, channels_last for convolutions, fused norms and attention; for decoding larger batches or quantisation. It worked if samples per second rise.',
    zh: '启用 BF16/AMP，卷积网络用 channels_last，融合归一化与注意力；推理解码可增大并发或量化。验证：每秒样本数上升。',
  },
  'fix.idle-held': {
    en: 'End the notebook kernel or the job, or share the card by MIG or MPS. It worked if the memory is free.',
    zh: '结束 notebook 内核或任务，或用 MIG、MPS 共享该卡。验证：显存已释放。',
  },
  'fix.low-utilization': {
    en: 'Find out first what it waits for: record with step markers, host CPU and SM activity. If memory allows, double the batch size once as a test. It worked if samples per second rise.',
    zh: '先弄清它在等什么：录制时带上步标记、主机 CPU 与 SM 活跃度。显存允许时可先把 batch size 加倍验证。验证：每秒样本数上升。',
  },
  'fix.monitor-overhead': {
    en: 'Sample once a second; turn on persistence mode (nvidia-smi -pm 1).',
    zh: '改为每秒采样一次，并开启持久模式（nvidia-smi -pm 1）。',
  },
} as const satisfies Record<`fix.${RuleId}`, Text>;
