import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { SAMPLE_TOKEN } from './system.ts';

/** The header lines that are printed of a mail. */
const SHOWN = /^(?:From|To|Subject):.*$/gim;

/** A mail server that takes every mail of the sample's credential, and prints it. */
export const createMailServer = (): SMTPServer =>
  new SMTPServer({
    disabledCommands: ['STARTTLS'], // it is reached on this machine alone
    size: 1_000_000,
    onAuth: ({ password }, _session, callback) =>
      password === SAMPLE_TOKEN ? callback(null, { user: 'sample' }) : callback(new Error('wrong password')),
    onData: (stream, _session, callback) => {
      text(stream).then((mail) => {
        const [head = '', ...body] = mail.split('\r\n\r\n');
        const shown = head.match(SHOWN) ?? [];
        process.stdout.write(`Mail\n${[...shown, '', ...body].join('\n').trimEnd()}\n`);
        callback();
      }, callback);
    },
  });
