/** Error for the cluster's operator: one line that names the right that the principal lacks. */
export function missingRight(operation: string, resource: string, cause: unknown): Error {
  return new Error(`Kafka does not allow ${operation} on ${resource}: give this principal that right`, { cause });
}

/** Whether an error of kafkajs, or one of those that it stands for, is a refusal by the cluster's authorizer. */
export function isDenied(error: unknown): boolean {
  return typesOf(error).some((type) => type.endsWith('_AUTHORIZATION_FAILED'));
}

/** Why a reader ended: the right that it lacks where the authorizer refused it, else the error itself. */
export function readerError(error: Error, names: { readonly topic: string; readonly groupId: string }): Error {
  if (!isDenied(error)) return error;
  const isGroup = typesOf(error).includes('GROUP_AUTHORIZATION_FAILED');
  return missingRight('Read', isGroup ? `group ${names.groupId}` : `topic ${names.topic}`, error);
}

/** Runs `work`; when the authorizer refuses it, the error names the operation and the resource. */
export async function withRight<Result>(
  operation: string,
  resource: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isDenied(error) ? missingRight(operation, resource, error) : error;
  }
}

/** The kafkajs names of the broker responses behind an error. */
function typesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const { type, errors = [] } = error as { readonly type?: string; readonly errors?: readonly unknown[] };
  return [...(type === undefined ? [] : [type]), ...typesOf(error.cause), ...errors.flatMap(typesOf)];
}
