// What Postgres says of a statement without running it.
import type pg from 'pg';

export interface DescribedStatement {
  readonly parameters: number;
  /** None of a statement that returns no rows. */
  readonly columns: readonly { readonly name: string; readonly typeId: number }[];
}

interface Connection {
  parse(query: { name: string; text: string; types: [] }): void;
  describe(message: { type: 'S'; name: string }): void;
  sync(): void;
  once(event: string, listener: (message: { fields?: pg.FieldDef[]; parameterCount?: number }) => void): void;
  removeAllListeners(event: string): void;
}

/** @throws DatabaseError for a text that Postgres refuses */
export function describeStatement(client: pg.Client, text: string): Promise<DescribedStatement> {
  return new Promise((resolve, reject) => {
    let columns: DescribedStatement['columns'] = [];
    let parameters = 0;
    const query = {
      submit(connection: Connection) {
        connection.once('parameterDescription', (message) => (parameters = message.parameterCount ?? 0));
        connection.parse({ name: '', text, types: [] });
        connection.describe({ type: 'S', name: '' });
        connection.sync();
      },
      handleRowDescription({ fields }: { fields: pg.FieldDef[] }) {
        columns = fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID }));
      },
      handleError(error: Error, connection: Connection) {
        connection.removeAllListeners('parameterDescription');
        reject(error);
      },
      handleReadyForQuery(connection: Connection) {
        connection.removeAllListeners('parameterDescription');
        resolve({ parameters, columns });
      },
    };
    client.query(query as unknown as pg.Submittable);
  });
}
