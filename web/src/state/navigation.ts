import { formatPlace, type Place, parsePlace } from './place.ts';
import { Store } from './store.ts';

/** Where the reader is, kept in step with the address bar. */
export class Navigation {
  readonly place: Store<Place>;
  readonly #base: URL;

  constructor() {
    this.#base = new URL('.', document.baseURI);
    this.place = new Store(this.#read());
    window.addEventListener('popstate', () => this.place.set(this.#read()));
  }

  /** Address of a place, for links. */
  href(place: Place): string {
    return new URL(formatPlace(place), this.#base).href;
  }

  /** Goes to a place: a new entry in the history, so that Back returns here. */
  push(change: Partial<Place>): void {
    const from = this.place.get();
    const next = { ...from, ...change };
    history.pushState({ zoomed: isZoomed(next) && sameView(from, next) }, '', this.href(next));
    this.place.set(next);
    if (!sameView(from, next)) window.scrollTo(0, 0);
  }

  /** Changes the place under the reader: Back leads to where they were before it. */
  replace(change: Partial<Place>): void {
    const next = { ...this.place.get(), ...change };
    history.replaceState(history.state, '', this.href(next));
    this.place.set(next);
  }

  /** Undoes a zoom into the charts; where the zoom came from a shared link, the range becomes the default one. */
  unzoom(): void {
    if (!isZoomed(this.place.get())) return;
    if (isRecord(history.state) && history.state['zoomed'] === true) history.back();
    else this.push({ range: null });
  }

  #read(): Place {
    const { pathname, search } = window.location;
    const base = this.#base.pathname;
    return parsePlace(pathname.startsWith(base) ? pathname.slice(base.length) : pathname.slice(1), search);
  }
}

function isZoomed({ range }: Place): boolean {
  return range !== null && typeof range !== 'string';
}

function sameView(a: Place, b: Place): boolean {
  if (a.route.view !== b.route.view) return false;
  return a.route.view !== 'gpu' || b.route.view !== 'gpu' || a.route.uuid === b.route.uuid;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
