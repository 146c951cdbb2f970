// Behind the stream of the table: prints each new note.
exports.handler = async ({ Records }) => {
  for (const { dynamodb } of Records) console.log(`a new note: ${dynamodb.NewImage.note.S}`);
};
