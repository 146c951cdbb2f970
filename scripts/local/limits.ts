// Each process takes some 70 MB, and is there only as long as there is work for it.

/** Requests that are handled at the same time; others wait in line. */
export const REQUEST_PROCESSES = 10;

/** Background runs at the same time. In a pool of their own: a run that calls the service does not wait for itself. */
export const BACKGROUND_PROCESSES = 8;
