package io.lampone.client.hbase.transport;

import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.line.Rpc;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.RequestConverter;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.Action;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MultiRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MultiResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.RegionAction;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.RegionActionResult;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ResultOrException;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos.NameBytesPair;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos.RegionSpecifier.RegionSpecifierType;
import org.apache.hadoop.hbase.util.Bytes;

/** Gets of one region server, which one call executes. */
final class MultiGet {

  private final HRegionLocation location;
  private final List<Get> gets = new ArrayList<>();

  /** Positions of the gets among those of the caller. */
  private final List<Integer> positions = new ArrayList<>();

  /** Indexes of the gets, by the names of their regions. */
  private final Map<byte[], List<Integer>> regions = new TreeMap<>(Bytes.BYTES_COMPARATOR);

  private MultiGet(HRegionLocation location) {
    this.location = location;
  }

  /** Returns one call for each server; none if a region's location is unknown. */
  static Collection<MultiGet> byServer(
      List<Get> gets, Function<Get, Optional<HRegionLocation>> locating) {
    Map<ServerName, MultiGet> calls = new LinkedHashMap<>();
    for (int i = 0; i < gets.size(); i++) {
      Optional<HRegionLocation> at = locating.apply(gets.get(i));
      if (at.isEmpty()) {
        return List.of();
      }
      MultiGet call =
          calls.computeIfAbsent(at.get().getServerName(), server -> new MultiGet(at.get()));
      call.regions
          .computeIfAbsent(at.get().getRegion().getRegionName(), region -> new ArrayList<>())
          .add(call.gets.size());
      call.positions.add(i);
      call.gets.add(gets.get(i));
    }
    return calls.values();
  }

  /** Returns the ends of all gets in the order of the caller. */
  static List<Step.Ended<Result>> inOrder(
      Collection<MultiGet> calls, List<Step.Ended<List<Step.Ended<Result>>>> ends) {
    Map<Integer, Step.Ended<Result>> ordered = new TreeMap<>();
    int next = 0;
    for (MultiGet call : calls) {
      Step.Ended<List<Step.Ended<Result>>> end = ends.get(next++);
      Throwable failure = end.failure();
      for (int i = 0; i < call.gets.size(); i++) {
        ordered.put(
            call.positions.get(i),
            failure == null ? end.value().get(i) : new Step.Failed<>(failure));
      }
    }
    return List.copyOf(ordered.values());
  }

  /** Returns the location of one of the regions. */
  HRegionLocation location() {
    return location;
  }

  List<Get> gets() {
    return gets;
  }

  /** Returns the call; its result has the ends of the gets in order. */
  Rpc<MultiResponse, List<Step.Ended<Result>>> rpc(int priority, long nanos) throws IOException {
    MultiRequest.Builder request = MultiRequest.newBuilder();
    for (Map.Entry<byte[], List<Integer>> region : regions.entrySet()) {
      RegionAction.Builder actions =
          RegionAction.newBuilder()
              .setRegion(
                  RequestConverter.buildRegionSpecifier(
                      RegionSpecifierType.REGION_NAME, region.getKey()));
      for (int index : region.getValue()) {
        actions.addAction(
            Action.newBuilder().setIndex(index).setGet(ProtobufUtil.toGet(gets.get(index))));
      }
      request.addRegionAction(actions);
    }
    return new Rpc<>(
        "Multi", request.build(), MultiResponse.getDefaultInstance(), priority, nanos, this::ends);
  }

  private List<Step.Ended<Result>> ends(MultiResponse reply, CellScanner cells) throws IOException {
    if (reply.getRegionActionResultCount() != regions.size()) {
      throw new IOException("reply to other regions, count=" + reply.getRegionActionResultCount());
    }
    Map<Integer, Step.Ended<Result>> ends = new TreeMap<>();
    int next = 0;
    for (List<Integer> indexes : regions.values()) {
      RegionActionResult region = reply.getRegionActionResult(next++);
      if (region.hasException()) {
        Step.Ended<Result> failed = failed(region.getException());
        indexes.forEach(index -> ends.put(index, failed));
      }
      for (ResultOrException one : region.getResultOrExceptionList()) {
        ends.put(
            one.getIndex(),
            one.hasException()
                ? failed(one.getException())
                : new Step.Done<>(ProtobufUtil.toResult(one.getResult(), cells)));
      }
    }
    if (ends.size() != gets.size()) {
      throw new IOException("replies to " + ends.size() + " of " + gets.size() + " gets");
    }
    return List.copyOf(ends.values());
  }

  private static Step.Ended<Result> failed(NameBytesPair thrown) throws IOException {
    return new Step.Failed<>(ProtobufUtil.toException(thrown));
  }
}
