import { LIMITS } from '@settle/config';

const { restartPauseMinMs, restartPauseMaxMs, soundAfterMs } = LIMITS.stack;

/** How long to wait before what died is started again: longer each time, until a life was long enough. */
export class RestartBackoff {
  #deaths = 0;

  /**
   * @param lifeMs how long it had run
   * @returns the pause in ms
   */
  afterLife(lifeMs: number): number {
    if (lifeMs >= soundAfterMs) this.#deaths = 0;
    this.#deaths += 1;
    return Math.min(restartPauseMaxMs, restartPauseMinMs * 2 ** (this.#deaths - 1));
  }
}
