import { EXIT, SmiFailure } from '../failure.ts';

/** A field that can be queried. */
export interface Field {
  /** The name that is printed, whichever was asked for. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** Empty for a field without a unit. */
  readonly unit: string;
}

/** The fields of one `--query-…` switch. */
export class FieldList {
  readonly all: readonly Field[];
  readonly #byName: ReadonlyMap<string, Field>;

  /** One field a line: `name|alias [unit]`. */
  constructor(lines: string) {
    this.all = lines.trim().split('\n').map(parseField);
    this.#byName = new Map(
      this.all.flatMap((field): [string, Field][] => [field.name, ...field.aliases].map((name) => [name, field])),
    );
  }

  /** The fields of a list with commas, in its order; throws a SmiFailure for a name that is none. */
  choose(names: string): readonly Field[] {
    return names.split(',').map((word) => {
      const name = word.trim();
      const field = this.#byName.get(name);
      if (field !== undefined) return field;
      throw new SmiFailure(`Field "${name}" is not a valid field to query.\n`, EXIT.badArgument);
    });
  }
}

function parseField(line: string): Field {
  const [, names = '', unit = ''] = /^(\S+)(?: \[(.+)\])?$/.exec(line) ?? [];
  const [name = '', ...aliases] = names.split('|');
  return { name, aliases, unit };
}

/** The title of the column of a field. */
export function titleOf({ name, unit }: Field): string {
  return unit === '' ? name : `${name} [${unit}]`;
}
