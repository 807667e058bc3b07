-- AlterTable
ALTER TABLE "flow_versions" ADD COLUMN     "calls" JSON,
ADD COLUMN     "expanded" JSON;
