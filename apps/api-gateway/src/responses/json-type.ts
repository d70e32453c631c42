/** The media type of every response of the API. */
export const JSON_TYPE = 'application/json; charset=utf-8';
