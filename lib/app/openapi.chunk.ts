import document from './openapi.prebuilt.ts';

/** The OpenAPI document of the admin API, as JSON. */
export const openApi = Buffer.from(document).toString();
