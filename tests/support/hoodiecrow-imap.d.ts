/** The part that the tests use: the package has no types. */
declare module 'hoodiecrow-imap' {
  import type { Server } from 'node:net';

  interface Message {
    readonly uid: number;
    readonly flags: readonly string[];
  }

  interface Mailbox {
    uidvalidity: number;
    uidnext: number;
    messages: Message[];
  }

  interface ImapServer {
    readonly server: Server;
    listen(port: number, host: string, listening: () => void): void;
    getMailbox(path: string): Mailbox;
    appendMessage(mailbox: string, flags: readonly string[], receivedAt: Date, raw: string): void;
  }

  export default function hoodiecrow(options: Readonly<Record<string, unknown>>): ImapServer;
}
