// Behind the HTTP API: POST /notes stores a note, GET /notes lists all.
const { DynamoDBClient, PutItemCommand, ScanCommand } = require('@aws-sdk/client-dynamodb');
const { randomUUID } = require('node:crypto');

const client = new DynamoDBClient();
const { TABLE: TableName } = process.env;

exports.handler = async ({ requestContext, body = '', isBase64Encoded }) => {
  if (requestContext.http.method === 'GET') {
    const { Items = [] } = await client.send(new ScanCommand({ TableName }));
    return Items.map(({ note }) => note.S);
  }
  const text = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString();
  const Item = { id: { S: randomUUID() }, note: { S: text } };
  await client.send(new PutItemCommand({ TableName, Item }));
  return { statusCode: 201, body: 'stored\n' };
};
