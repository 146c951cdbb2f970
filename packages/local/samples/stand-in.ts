import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseForeignRequests } from 'lambda-stage/net';
import { STAND_IN_ADDRESS } from './stand-in-address.ts';
import { createMailServer, createOrdersTable, routes, sendJson } from './systems.ts';

// `npm run stand-in`: the systems that the samples call, on this machine.

const printLine = (line: string) => process.stdout.write(`${line}\n`);

const server = createServer(async (request, response) => {
  const [path = ''] = request.url?.split('?') ?? [];
  const [, answer] = routes.find(([pattern]) => pattern.test(`${request.method} ${path}`)) ?? [];
  try {
    if (answer === undefined) sendJson(response, 404, { error: 'there is no such path' });
    else await answer(request, response, path);
    printLine(`${request.method} ${request.url} ${response.statusCode}`);
  } catch (error) {
    printLine(`${request.method} ${request.url} ended early: ${(error as Error).message}`);
    response.destroy();
  }
});

refuseForeignRequests(server);

const exitWithError = ({ message }: Error): never => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

const { host, port, mailPort } = STAND_IN_ADDRESS;
const mail = createMailServer();
mail.on('error', exitWithError);
mail.listen(mailPort, host);
server.once('error', exitWithError);
server.listen(port, host, async () => {
  const { port: taken } = server.address() as AddressInfo;
  const { port: takenByMail } = mail.server.address() as AddressInfo;
  await createOrdersTable(`http://${host}:${taken}`);
  printLine(
    `The stand-in is running at http://${host}:${taken}, for mail at ${host}:${takenByMail}. Press Ctrl+C to stop it.`,
  );
});
