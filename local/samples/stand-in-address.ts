/** The stand-in for other systems, which `npm run stand-in` starts; `npm start` allows connections to it. */
export const STAND_IN_ADDRESS = { host: '127.0.0.1', port: 4400, mailPort: 4401 } as const;
