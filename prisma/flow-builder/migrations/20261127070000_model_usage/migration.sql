-- CreateTable
CREATE TABLE "model_usage" (
    "organization_id" TEXT NOT NULL,
    "month" DATE NOT NULL,
    "calls" BIGINT NOT NULL,
    "tokens_in" BIGINT NOT NULL,
    "tokens_out" BIGINT NOT NULL,
    "cost" DECIMAL(65,30) NOT NULL,
    "unpriced_calls" BIGINT NOT NULL,

    CONSTRAINT "model_usage_pkey" PRIMARY KEY ("organization_id","month")
);
