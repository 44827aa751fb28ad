import type { Api } from '../../../src/client/api.ts';
import type { ApiMetric } from '../../../src/model/api-device.ts';
import { Store } from '../state/store.ts';

/** The catalogue of the server by id, in its order. */
export type Metrics = ReadonlyMap<string, ApiMetric>;

/**
 * What metrics are called and mean, in the language of the page. The server has it, so that the dashboard need not carry
 * it in every language; it is asked for once somebody looks at metrics by name.
 */
export class MetricTable {
  readonly store = new Store<Metrics | null>(null);
  readonly #api: Pick<Api, 'metrics'>;
  #isWanted = false;
  /** The request whose answer counts. */
  #request: Promise<void> | null = null;

  constructor(api: Pick<Api, 'metrics'>) {
    this.#api = api;
  }

  /** From now on it is needed. */
  want(): void {
    this.#isWanted = true;
    this.retry();
  }

  /** Asks again where the last request failed. */
  retry(): void {
    if (this.#isWanted && this.store.get() === null && this.#request === null) this.#ask();
  }

  /** Asks again, as for another language; what is known stays until the answer is there. */
  reload(): void {
    if (this.#isWanted) this.#ask();
  }

  #ask(): void {
    const request = this.#api.metrics().then(
      ({ metrics }) => {
        if (this.#request !== request) return;
        this.#request = null;
        this.store.set(new Map(metrics.map((metric) => [metric.id, metric])));
      },
      () => {
        if (this.#request === request) this.#request = null;
      },
    );
    this.#request = request;
  }
}
