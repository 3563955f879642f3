-- AlterTable
ALTER TABLE "order_history" ADD COLUMN "replay_id" UUID;

-- CreateTable
CREATE TABLE "replays" (
    "replay_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "filter" JSONB,
    "matched" INTEGER NOT NULL,
    "rate_per_second" INTEGER NOT NULL,
    "position" UUID,
    "requested_by" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "correlation_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "replays_pkey" PRIMARY KEY ("replay_id")
);

-- CreateTable
CREATE TABLE "event_replays" (
    "replay_id" UUID NOT NULL,
    "message_id" UUID NOT NULL,
    "job_id" UUID,
    "status" TEXT NOT NULL,
    "queued_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "event_replays_pkey" PRIMARY KEY ("replay_id","message_id")
);

-- CreateTable
CREATE TABLE "audit_log" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "reason" TEXT,
    "subject" JSONB NOT NULL,
    "correlation_id" TEXT NOT NULL,

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "replays_created_at_replay_id_idx" ON "replays"("created_at", "replay_id");

-- CreateIndex
CREATE INDEX "event_replays_message_id_idx" ON "event_replays"("message_id");

-- CreateIndex
CREATE INDEX "event_replays_job_id_idx" ON "event_replays"("job_id");

-- CreateIndex
CREATE INDEX "audit_log_actor_id_idx" ON "audit_log"("actor", "id");

-- CreateIndex
CREATE INDEX "audit_log_action_id_idx" ON "audit_log"("action", "id");

-- Also whoever may write to the table cannot rewrite what it says, short of removing this trigger.
-- \073 is a semicolon: the engine that applies migrations ends a statement at each that it sees.
CREATE FUNCTION "refuse_change_of_audit_log"() RETURNS trigger LANGUAGE plpgsql AS
E'BEGIN RAISE EXCEPTION ''audit_log is append-only'' USING ERRCODE = ''insufficient_privilege''\073 END';

CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_audit_log"();
