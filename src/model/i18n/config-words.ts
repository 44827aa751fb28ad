import type { Text } from './text.ts';

/** What can be wrong in a configuration file, and what its keys and the flags beside them take. */
export const CONFIG_WORDS = {
  'config.unknown-key': { en: 'unknown key {key}', zh: '未知的配置项 {key}' },
  'config.unknown-key-near': {
    en: 'unknown key {key}, did you mean {near}?',
    zh: '未知的配置项 {key}，是否想用 {near}？',
  },
  'config.missing': { en: '{key} is missing', zh: '缺少 {key}' },
  'config.takes': { en: '{key} takes {expected}, not {given}', zh: '{key} 应为{expected}，而不是{given}' },
  'config.quote': {
    en: '{key} takes text, not {value}: write "{value}"',
    zh: '{key} 应为文本，而不是 {value}：请写成 "{value}"',
  },
  'config.one-of': { en: '{key} takes {options}, not {given}', zh: '{key} 应为 {options}，而不是{given}' },
  'config.least': { en: '{key} takes no less than {limit}', zh: '{key} 不能小于 {limit}' },
  'config.most': { en: '{key} takes no more than {limit}', zh: '{key} 不能大于 {limit}' },
  'config.empty': { en: '{key} is empty', zh: '{key} 不能为空' },
  'config.wrong': { en: '{key} is not valid', zh: '{key} 无效' },
  'config.refused': { en: '{text}; {hint}', zh: '{text}；{hint}' },
  'config.file': { en: 'the file', zh: '文件内容' },
  'config.label-name': {
    en: '{key}: the name of a label is made of letters, digits and _, and begins with no digit and not with __',
    zh: '{key}：标签名只能含字母、数字和下划线，且不能以数字或 __ 开头',
  },
  'config.own-label': { en: '{key}: gpulse gives this label itself', zh: '{key}：该标签由 gpulse 自动添加' },
  'config.header-name': { en: '{key} is no name that an HTTP header can have', zh: '{key} 不是合法的 HTTP 请求头名称' },
  'config.own-header': {
    en: '{key}: gpulse and the connection set this HTTP header themselves',
    zh: '{key}：该 HTTP 请求头由 gpulse 或连接自动设置',
  },
  'config.header-value': {
    en: '{key} cannot be sent in an HTTP header: it takes Latin letters, digits and signs, in one line',
    zh: '{key} 无法放入 HTTP 请求头：只能是单行的拉丁字母、数字和符号',
  },
  'type.text': { en: 'text', zh: '文本' },
  'type.number': { en: 'a number', zh: '数字' },
  'type.integer': { en: 'a whole number', zh: '整数' },
  'type.boolean': { en: 'true or false', zh: ' true 或 false' },
  'type.list': { en: 'a list, such as [a, b]', zh: '列表（如 [a, b]）' },
  'type.section': { en: 'keys with values', zh: '由“键: 值”组成的小节' },
  'given.text': { en: '"{value}"', zh: '“{value}”' },
  'given.plain': { en: '{value}', zh: ' {value}' },
  'given.list': { en: 'a list', zh: '列表' },
  'given.section': { en: 'keys with values', zh: '小节' },
  'yaml.at': { en: 'line {line}, column {column}: {fault}', zh: '第 {line} 行第 {column} 列：{fault}' },
  'yaml.documents': {
    en: 'line {line}: a second YAML document begins here; keep one document, without --- between keys',
    zh: '第 {line} 行：此处开始第二个 YAML 文档；请合并为一个文档，键之间不要写 ---',
  },
  'takes.before-end': { en: 'a time before that of --to, {to}', zh: '早于 --to（{to}）的时间' },
  'takes.engine': {
    en: 'prometheus, since history.{key} is given',
    zh: 'prometheus，因为已给出 history.{key}',
  },
  'takes.one-login': { en: 'either a token, or username and password', zh: 'token，或 username 加密码，二者选一' },
  'takes.username': { en: 'a name beside the password', zh: '与密码配套的用户名' },
  'takes.password': {
    en: 'password, passwordFile or passwordEnv beside username',
    zh: '与 username 配套的 password、passwordFile 或 passwordEnv',
  },
  'takes.one-secret': { en: 'one of {key}, {key}File and {key}Env', zh: '{key}、{key}File、{key}Env 三者之一' },
  'takes.variable': { en: 'a variable that is set', zh: '已设置的环境变量' },
  'takes.gateway': {
    en: 'the address of the gateway without /metrics/job/…, such as http://HOST:9091; job and instance are keys of their own in the configuration file',
    zh: '网关地址，不含 /metrics/job/…，如 http://HOST:9091；job 与 instance 在配置文件中单独设置',
  },
  'takes.readable': { en: 'a file that can be read: {detail}', zh: '可读取的文件：{detail}' },
  'takes.token': {
    en: 'one line of Latin letters, digits and signs in it',
    zh: '其内容只有一行，由拉丁字母、数字和符号组成',
  },
} as const satisfies Readonly<Record<string, Text>>;

/** What the YAML parser finds, by its codes; in English it has words of its own. */
export const YAML_FAULTS: Readonly<Record<string, string>> = {
  ALIAS_PROPS: '别名（*）上不能再加锚点或标签',
  BAD_ALIAS: '别名（*）无法解析',
  BAD_COLLECTION_TYPE: '标签（!）与此处的内容不符',
  BAD_DIRECTIVE: '指令（%）无效',
  BAD_DQ_ESCAPE: '双引号中的转义无效',
  BAD_INDENT: '缩进不正确',
  BAD_PROP_ORDER: '锚点（&）和标签（!）必须写在值之前',
  BAD_SCALAR_START: '值不能以该字符开头，请加引号',
  BLOCK_AS_IMPLICIT_KEY: '嵌套的键值必须另起一行',
  BLOCK_IN_FLOW: '[ ] 或 { } 中不能使用缩进写法',
  DUPLICATE_KEY: '键重复',
  KEY_OVER_1024_CHARS: '键过长（超过 1024 个字符）',
  MISSING_CHAR: '缺少字符，例如右括号、引号、逗号、冒号或空格',
  MULTILINE_IMPLICIT_KEY: '键必须写在同一行内，并以冒号结尾',
  MULTIPLE_ANCHORS: '一个值只能有一个锚点（&）',
  MULTIPLE_TAGS: '一个值只能有一个标签（!）',
  NON_STRING_KEY: '键必须是文本',
  TAB_AS_INDENT: '不能用制表符缩进',
  TAG_RESOLVE_FAILED: '标签（!）无法解析',
  UNEXPECTED_TOKEN: '此处的内容无法识别',
};
