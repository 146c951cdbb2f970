/** Whether another attempt may get another status: what `retryStatus` of `httpRequest` has by default. */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || (status >= 500 && status <= 599);
