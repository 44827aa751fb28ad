import { ASK } from './asking.ts';
import { SampleCursor } from './sample-cursor.ts';

/** What is known of one GPU's answers about its processes. */
export class UseMemory {
  readonly cursor = new SampleCursor();
  asking = ASK;
  /** Code of the reason for not asking. */
  reason = 0;
  /** The plain function, where the newer one is not known or not supported. */
  isPlain = false;
  hasAnswered = false;

  /** After a reset of the GPU. */
  forget(): void {
    this.cursor.reset();
    this.asking = ASK;
    this.isPlain = false;
    this.hasAnswered = false;
  }
}
