/** The stand-in for other systems, which `npm run stand-in` starts; `npm start` allows requests to it. */
export const STAND_IN_ADDRESS = { host: '127.0.0.1', port: 4400 } as const;

/** The credential of the people that the stand-in lists. Its token is no secret: it opens invented data alone. */
export const PEOPLE_CREDENTIAL = {
  id: 'people-api',
  type: 'httpBearer',
  token: 'token-of-a-sample',
} as const;
