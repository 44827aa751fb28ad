import type { Text } from './text.ts';

/** Completion of command lines, and the manual page. */
export const SHELL_MESSAGES = {
  'completion.about': {
    en: 'print the completion script of a shell',
    zh: '输出 shell 的命令补全脚本',
  },
  'completion.shell': { en: 'bash, zsh or fish', zh: 'bash、zsh 或 fish' },
  'man.about': { en: 'print the manual page: gpulse man | man -l -', zh: '输出手册页：gpulse man | man -l -' },
  'man.name': { en: 'name', zh: '名称' },
  'man.synopsis': { en: 'synopsis', zh: '概要' },
  'man.options': { en: 'options', zh: '选项' },
  'man.commands': { en: 'commands', zh: '命令' },
  'man.exit': { en: 'exit status', zh: '退出码' },
  'man.environment': { en: 'environment', zh: '环境变量' },
  'man.exit-0': { en: 'everything was done', zh: '成功' },
  'man.exit-1': { en: 'something failed that none of the others names', zh: '其他错误' },
  'man.exit-2': { en: 'the command line or a setting is wrong', zh: '命令行或设置有误' },
  'man.exit-3': { en: 'there is no GPU, or no driver', zh: '没有 GPU 或驱动' },
  'man.exit-4': { en: 'a permission is missing', zh: '权限不足' },
  'man.exit-5': { en: 'data cannot be read, or a GPU gives none', zh: '数据无法读取，或有 GPU 没有数据' },
  'man.exit-smi': {
    en: '"gpulse smi" ends with the codes of nvidia-smi instead; "run" and "wait" with that of the command they ran.',
    zh: 'gpulse smi 的退出码与 nvidia-smi 相同；run 与 wait 以所运行命令的退出码结束。',
  },
  'man.env-LANG': {
    en: 'LC_ALL, LC_MESSAGES or LANG chooses the language of messages, English or Chinese; --lang goes before it',
    zh: 'LC_ALL、LC_MESSAGES 或 LANG 决定提示语言（英文或中文）；--lang 优先',
  },
  'man.env-NO_COLOR': { en: 'when it is set, nothing is coloured', zh: '设置后不使用颜色' },
  'man.env-FORCE_COLOR': {
    en: 'when it is set to anything but 0, colours are used in a pipe as well',
    zh: '设置为 0 以外的值时，管道中也使用颜色',
  },
  'man.env-TZ': { en: 'the zone in which times are shown', zh: '显示时间所用的时区' },
} as const satisfies Record<string, Text>;
