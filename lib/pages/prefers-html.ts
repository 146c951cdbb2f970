/** Whether a caller is a browser, by its header `Accept`: browsers name HTML first. */
export const prefersHtml = (accept = ''): boolean => accept.trim().toLowerCase().startsWith('text/html');
