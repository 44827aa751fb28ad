/** For tests only: the parts of a board that are looked at. */

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
  readonly refId: string;
  readonly instant?: boolean;
  readonly range?: boolean;
}

export interface BoardPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly fieldConfig?: {
    readonly defaults: { readonly unit?: string; readonly links?: readonly { readonly url: string }[] };
  };
  readonly targets: readonly Target[];
}

export interface Board {
  readonly uid: string;
  readonly tags: readonly string[];
  readonly links: readonly { readonly tags: readonly string[] }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
  readonly panels: readonly BoardPanel[];
}

export function boardOf(json: string): Board {
  return JSON.parse(json) as Board;
}

/** The panels that show something. */
export function panelsOf({ panels }: Board): readonly BoardPanel[] {
  return panels.filter(({ type }) => type !== 'row');
}
