// Addresses and signatures of objects in a bucket (AWS Signature Version 4). aws4fetch signs and
// has no dependencies; requests go through `outbound`, which the AWS SDK cannot use.
import { AwsV4Signer } from 'aws4fetch';
import type { Store } from '../retention/recording-storage.ts';

/** How long a link to a copy works. */
export const LINK_SECONDS = 15 * 60;

export interface StoredObject {
  readonly store: Store;
  readonly objectKey: string;
  readonly secretAccessKey: string;
}

/** A request, signed in its headers. The body is not signed, because it is not read before. */
export async function signRequest(
  object: StoredObject,
  method: 'PUT' | 'DELETE',
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string; readonly headers: Record<string, string> }> {
  const signed = await sign(object, { method, headers });
  return { url: signed.url.toString(), headers: Object.fromEntries(signed.headers) };
}

/** An address that reads the object for LINK_SECONDS, also in ranges. */
export async function signLink(object: StoredObject): Promise<string> {
  const { url } = await sign(object, { method: 'GET', signQuery: true });
  return url.toString();
}

function sign(
  { store, objectKey, secretAccessKey }: StoredObject,
  request: {
    readonly method: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly signQuery?: boolean;
  },
) {
  // The bucket in the path works with every store, and with the certificates of all names.
  const url = new URL(`${store.endpoint}/${store.bucket}/${objectKey}`);
  if (request.signQuery) url.searchParams.set('X-Amz-Expires', String(LINK_SECONDS));
  return new AwsV4Signer({
    ...request,
    url: url.toString(),
    accessKeyId: store.accessKeyId,
    secretAccessKey,
    service: 's3',
    region: store.region,
  }).sign();
}
