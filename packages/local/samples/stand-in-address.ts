const { STAND_IN_PORT = '4400', STAND_IN_MAIL_PORT = '4401' } = process.env;

/** The stand-in for other systems, which `npm run stand-in` starts; `npm start` allows connections to it. */
export const STAND_IN_ADDRESS = {
  host: '127.0.0.1',
  port: Number(STAND_IN_PORT),
  mailPort: Number(STAND_IN_MAIL_PORT),
};
