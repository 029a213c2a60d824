package io.lampone.tm.metrics;

import io.lampone.protocol.tm.ServerReport;
import java.util.List;

/** Value of a gauge: the last reports of region servers. */
public record RegionServerValues(List<ServerReport> reports) {}
