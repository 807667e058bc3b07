export const folderOrders: Readonly<Record<string, readonly (readonly string[])[]>>;
