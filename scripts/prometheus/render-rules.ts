import type { Text } from '../../src/model/i18n/text.ts';
import type { AlertRule, Naming, RecordingRule, RuleFile } from './rule.ts';

/** What the words in braces become in a rule; dcgm-exporter has renamed its label of the host. */
const TEMPLATES: Readonly<Record<Naming, Readonly<Record<string, string>>>> = (() => {
  const common = {
    gpu: '{{ $labels.gpu }}',
    xid: '{{ $labels.xid }}',
    sink: '{{ $labels.sink }}',
    value: '{{ $value | humanize }}',
    duration: '{{ $value | humanizeDuration }}',
    percent: '{{ $value | humanizePercentage }}',
  };
  return {
    gpulse: { ...common, host: '{{ $labels.instance }}' },
    dcgm: { ...common, host: '{{ or $labels.Hostname $labels.hostname $labels.instance }}' },
  };
})();

/** The annotations of an alert, with every word in braces replaced by what `fill` makes of it. */
export function annotationsOf({ summary, action }: AlertRule, fill: (word: string) => string): Record<string, string> {
  const texts: Readonly<Record<string, Text>> = { summary, action };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, { en, zh }]) =>
      [
        [name, en],
        [`${name}_zh`, zh],
      ].map(([key, text]) => [key, (text ?? '').replaceAll(/\{(\w+)\}/g, (_whole, word: string) => fill(word))]),
    ),
  );
}

/** The YAML that Prometheus loads. */
export function renderRules({ head, group, naming, recordings, alerts }: RuleFile): string {
  const lines = [
    ...head.flatMap(comment),
    'groups:',
    `  - name: ${group}`,
    '    rules:',
    ...recordings.flatMap(recordingLines),
    ...alerts.flatMap((rule) => alertLines(rule, naming)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

const comment = (text: string): string[] => text.split('\n').map((line) => `# ${line}`);

function recordingLines({ record, expression, help }: RecordingRule): string[] {
  return [`      # ${capital(help.en)}.`, `      - record: ${record}`, ...expressionLines(expression), ''];
}

function alertLines(rule: AlertRule, naming: Naming): string[] {
  const condition = rule[naming];
  if (condition === undefined) return [];
  const annotations = annotationsOf(rule, (word) => TEMPLATES[naming][word] ?? `{${word}}`);
  return [
    ...(rule.remark === undefined ? [] : wrap(rule.remark).map((line) => `      # ${line}`)),
    `      - alert: ${rule.alert}`,
    ...expressionLines(condition.expression),
    ...(rule.holdFor === undefined ? [] : [`        for: ${rule.holdFor}`]),
    `        labels: { severity: ${rule.severity} }`,
    '        annotations:',
    ...Object.entries(annotations).map(([name, text]) => `          ${name}: ${JSON.stringify(text)}`),
    '',
  ];
}

function expressionLines(expression: string): string[] {
  return ['        expr: >-', ...expression.split('\n').map((line) => `          ${line}`)];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const WIDTH = 110;

/** Lines of at most so many characters. */
function wrap(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    const longer = lines[last] === '' ? word : `${lines[last]} ${word}`;
    if (longer.length <= WIDTH) lines[last] = longer;
    else lines.push(word);
  }
  return lines;
}
