/** The header of an execution's call to its own service. It says how many executions in a row have done so. */
export const DEPTH_HEADER = 'hookloom-depth';

/** Reads {@link DEPTH_HEADER}; 0 for a request from elsewhere. */
export const readDepth = (headers: Readonly<Record<string, unknown>>): number => {
  const value = String(headers[DEPTH_HEADER] ?? '');
  return /^\d{1,3}$/.test(value) ? Number(value) : 0;
};
