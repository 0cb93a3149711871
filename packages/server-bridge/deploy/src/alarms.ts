import { CfnAlarm } from "aws-cdk-lib/aws-cloudwatch";
import type { CfnEndpoint } from "aws-cdk-lib/aws-sagemaker";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";
import type { EndpointSettings } from "./settings.js";

/** Errors of the container, slowness, and a disk that fills. */
export function addAlarms(
  scope: Construct,
  settings: EndpointSettings,
  endpoint: CfnEndpoint,
  variantName: string,
): void {
  const { name, alarmEmail, latencyAlarmMs } = settings;
  const topic = new Topic(scope, "Alarms", { displayName: `Alarms of ${name}`, enforceSSL: true });
  if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail));
  const dimensions = [
    { name: "EndpointName", value: name },
    { name: "VariantName", value: variantName },
  ];
  const common = {
    dimensions,
    comparisonOperator: "GreaterThanOrEqualToThreshold",
    treatMissingData: "notBreaching",
    alarmActions: [topic.topicArn],
    okActions: [topic.topicArn],
  };
  const alarms: readonly CfnAlarm[] = [
    new CfnAlarm(scope, "Errors", {
      ...common,
      alarmDescription: `${name} fails: see its log in CloudWatch.`,
      namespace: "AWS/SageMaker",
      metricName: "Invocation5XXErrors",
      statistic: "Sum",
      period: 60,
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
      threshold: 5,
    }),
    new CfnAlarm(scope, "Slowness", {
      ...common,
      alarmDescription: `The slowest hundredth of decisions of ${name} takes ${latencyAlarmMs} ms or more.`,
      namespace: "AWS/SageMaker",
      metricName: "ModelLatency",
      extendedStatistic: "p99",
      period: 60,
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
      // In microseconds.
      threshold: latencyAlarmMs * 1_000,
    }),
    new CfnAlarm(scope, "Disk", {
      ...common,
      alarmDescription: `The disk of an instance of ${name} is nearly full.`,
      namespace: "/aws/sagemaker/Endpoints",
      metricName: "DiskUtilization",
      statistic: "Maximum",
      period: 300,
      evaluationPeriods: 2,
      threshold: 90,
    }),
  ];
  for (const alarm of alarms) alarm.addResourceDependency(endpoint);
}
