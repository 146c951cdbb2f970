declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** @see https://github.com/architect/dynalite#api */
  export default function dynalite(options: {
    createTableMs?: number;
    updateTableMs?: number;
    deleteTableMs?: number;
    path?: string;
  }): Server;
}
