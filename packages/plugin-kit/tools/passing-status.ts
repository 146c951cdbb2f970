/** Whether another attempt may succeed after this status; the default of `retryStatus` of `httpRequest`. */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || (status >= 500 && status <= 599);
