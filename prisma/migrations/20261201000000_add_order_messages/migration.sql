-- AlterTable
ALTER TABLE "orders" ADD COLUMN     "sequence" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "order_messages" (
    "message_id" UUID NOT NULL,
    "order_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "correlation_id" TEXT NOT NULL,
    "causation_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "order_messages_pkey" PRIMARY KEY ("message_id")
);

-- CreateTable
CREATE TABLE "message_dispatches" (
    "message_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_attempt_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_dispatches_pkey" PRIMARY KEY ("message_id","url")
);

-- CreateTable
CREATE TABLE "dispatch_lanes" (
    "order_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "waiting" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "claim_id" UUID,

    CONSTRAINT "dispatch_lanes_pkey" PRIMARY KEY ("order_id","url")
);

-- CreateIndex
CREATE INDEX "order_messages_order_id_message_id_idx" ON "order_messages"("order_id", "message_id");

-- Nearly every dispatch is delivered and every lane empty: these two indexes hold only what waits.
-- CreateIndex
CREATE INDEX "message_dispatches_order_id_url_sequence_idx" ON "message_dispatches"("order_id", "url", "sequence") WHERE "status" = 'waiting';

-- CreateIndex
CREATE INDEX "message_dispatches_status_message_id_idx" ON "message_dispatches"("status", "message_id");

-- CreateIndex
CREATE INDEX "dispatch_lanes_url_due_at_idx" ON "dispatch_lanes"("url", "due_at") WHERE "waiting" > 0;
