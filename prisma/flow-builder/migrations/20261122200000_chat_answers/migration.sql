-- CreateTable
CREATE TABLE "chat_answers" (
    "organization_id" TEXT NOT NULL,
    "session" TEXT NOT NULL,
    "turn" INTEGER NOT NULL,
    "question" TEXT NOT NULL,
    "answer" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chat_answers_pkey" PRIMARY KEY ("organization_id","session","turn","question")
);

-- CreateIndex
CREATE INDEX "chat_answers_expires_at_idx" ON "chat_answers"("expires_at");
