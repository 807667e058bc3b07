// What accepting is measured against: an Express 5 that puts its JSON body into one row through
// Prisma, as both are documented. The row is one of our own tables, since Prisma needs a model.
import { PrismaPg } from '@prisma/adapter-pg';
import express from 'express';
import { PrismaClient } from '../../../../prisma/notifications/generated/client.ts';

const db = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL, max: 10 }),
});
const app = express();
app.use(express.json());
let count = 0;
app.post('/', async (request, response) => {
  const { id } = await db.notification.create({
    data: {
      id: `bare_${process.pid}_${(count += 1)}`,
      organizationId: 'bench',
      subject: request.body.message,
      subjectGiven: false,
      message: request.body.message,
      source: 'bench',
      createdBy: 'bench',
      createdAt: new Date(),
    },
  });
  response.json({ id });
});
app.listen(Number(process.argv[2]), '127.0.0.1');
