import type { Answer, Routes } from './system.ts';

const ROWS = 250;

/** `orders.csv`: numbers, customers and totals. */
export const orders = [
  'number,customer,total',
  ...Array.from({ length: ROWS }, (_, at) => `A-${at + 1},customer${at % 7}@example.com,${(at * 37) % 500}`),
].join('\r\n');

const getOrders: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/csv', 'content-length': orders.length }).end(orders);
};

const noSuchKey: Answer = (_request, response) => {
  const error = '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>';
  response.writeHead(404, { 'content-type': 'application/xml' }).end(error);
};

/** A bucket of S3 with one object; signatures are not checked. */
export const bucketRoutes: Routes = [
  [/^GET \/s3\/imports\/orders\.csv$/, getOrders],
  [/^GET \/s3\//, noSuchKey],
];
