import type { Calendar } from '../calendar.ts';
import { type Card, longBusId, type Shot } from '../cards.ts';
import { driverRelease } from '../cell.ts';
import { heatAndClockNodes } from './heat-and-clocks.ts';
import { memoryErrorNodes } from './memory-errors.ts';
import type { Display, Node } from './node.ts';
import { processesNode } from './process-nodes.ts';
import { productNodes } from './product.ts';
import { stateNodes } from './state.ts';
import { NA, valuesOf } from './values.ts';

/** 1-based columns of the colons. */
const COLON = 56;
const NARROW_COLON = 43;

/** `-q`: every GPU in sections, of which `displays` chooses some; none stands for all. */
export function textReport(shot: Shot, calendar: Calendar, displays: readonly Display[]): readonly string[] {
  const { lead } = shot;
  return [
    '',
    '==============NVSMI LOG==============',
    '',
    textLine('Timestamp', calendar.report(shot.at), 0, COLON),
    textLine('Driver Version', lead?.driverVersion ?? NA, 0, COLON),
    textLine('CUDA Version', lead?.facts?.['cuda-version'] ?? NA, 0, COLON),
    '',
    textLine('Attached GPUs', String(shot.count), 0, COLON),
    ...shot.cards.flatMap((card) => [
      `GPU ${longBusId(card.view.device.pciBusId) ?? card.view.device.index}`,
      ...cardNodes(card, shot, calendar)
        .filter((node) => isChosen(node, displays))
        .flatMap((node) => textLines(node, 1, COLON)),
      '',
    ]),
  ];
}

function cardNodes(card: Card, shot: Shot, calendar: Calendar): readonly Node[] {
  const values = valuesOf(card, shot, calendar);
  return [
    ...productNodes(values),
    ...stateNodes(values),
    ...memoryErrorNodes(values),
    ...heatAndClockNodes(values),
    processesNode(card),
  ];
}

function isChosen({ display, isOnRequest = false }: Node, displays: readonly Display[]): boolean {
  return displays.length === 0 ? !isOnRequest : displays.some((word) => word === display);
}

function textLines({ text, value, nodes = [], isNarrow = false }: Node, level: number, colon: number): string[] {
  if (text === null) return [];
  const column = isNarrow ? NARROW_COLON : colon;
  const line = value === undefined ? `${'    '.repeat(level)}${text}` : textLine(text, value, level, column);
  return [line, ...nodes.flatMap((node) => textLines(node, level + 1, column))];
}

function textLine(title: string, value: string, level: number, colon: number): string {
  return `${`${'    '.repeat(level)}${title}`.padEnd(colon - 1)}: ${value}`;
}

/** From this release on the description of the XML form is version 13. */
const NEWER_XML = 580;

/** `-q -x`: the same as XML. */
export function xmlReport(shot: Shot, calendar: Calendar): readonly string[] {
  const { lead } = shot;
  const version = lead === null || (driverRelease(lead) ?? NEWER_XML) >= NEWER_XML ? 13 : 12;
  return [
    '<?xml version="1.0" ?>',
    `<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v${version}.dtd">`,
    '<nvidia_smi_log>',
    `\t<timestamp>${calendar.report(shot.at)}</timestamp>`,
    `\t<driver_version>${escapeXml(lead?.driverVersion ?? NA)}</driver_version>`,
    `\t<cuda_version>${escapeXml(lead?.facts?.['cuda-version'] ?? NA)}</cuda_version>`,
    `\t<attached_gpus>${shot.count}</attached_gpus>`,
    ...shot.cards.flatMap((card) => [
      `\t<gpu id="${escapeXml(longBusId(card.view.device.pciBusId) ?? String(card.view.device.index))}">`,
      ...cardNodes(card, shot, calendar).flatMap((node) => xmlLines(node, 2)),
      '\t</gpu>',
      '',
    ]),
    '</nvidia_smi_log>',
  ];
}

function xmlLines({ xml, value, xmlValue, nodes = [] }: Node, level: number): string[] {
  if (xml === null) return [];
  const indent = '\t'.repeat(level);
  const shown = xmlValue ?? value;
  if (shown === undefined) {
    return [`${indent}<${xml}>`, ...nodes.flatMap((node) => xmlLines(node, level + 1)), `${indent}</${xml}>`];
  }
  const below = nodes.flatMap((node) => xmlLines(node, level));
  return [`${indent}<${xml}>${escapeXml(shown)}</${xml}>`, ...below];
}

/** Text for XML; control characters, which it cannot hold, are left out. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[\p{Cc}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
