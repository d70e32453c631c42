/** Resolves in the next turn of the event loop, after all pending callbacks. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
