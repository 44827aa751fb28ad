import type { SourceFlags } from '../options.ts';
import type { MonitorLayout } from './monitor/layout.ts';
import type { Query, QueryName } from './query/query.ts';
import type { Display } from './report/node.ts';

/** What `gpulse smi` was asked for. */
export interface SmiRequest {
  readonly what: What;
  readonly source: SourceFlags;
  /** Address of the gpulse that is asked instead; null for none. */
  readonly host: string | null;
  /** List of `-i`; null for all. */
  readonly ids: string | null;
  /** File of `-f`; null for standard output. */
  readonly file: string | null;
  /** Null to look once. */
  readonly intervalMs: number | null;
  /** How often at most. */
  readonly limit: number;
}

type What =
  | { readonly kind: 'help' | 'version' | 'list' | 'table' | 'xml' | 'topology' }
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'field-help'; readonly query: QueryName }
  | { readonly kind: 'report'; readonly displays: readonly Display[] }
  | { readonly kind: 'dmon' | 'pmon'; readonly groups: string; readonly layout: MonitorLayout };
