/** Whether a caller is a browser, judged by its `Accept` header, in which browsers name HTML first. */
export const prefersHtml = (accept = ''): boolean => accept.trim().toLowerCase().startsWith('text/html');
