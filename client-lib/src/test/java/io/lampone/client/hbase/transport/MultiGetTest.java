package io.lampone.client.hbase.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.line.Rpc;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.ResponseConverter;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MultiRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MultiResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.RegionAction;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.RegionActionResult;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ResultOrException;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Gets are sorted by server and region; the ends come in the order of the caller. */
class MultiGetTest {

  private static final TableName TABLE = TableName.valueOf("t");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final ServerName ONE = ServerName.valueOf("one", 1, 1);
  private static final ServerName TWO = ServerName.valueOf("two", 1, 1);

  private final Map<String, HRegionLocation> regions = new HashMap<>();

  private void place(String region, ServerName server) {
    RegionInfo info =
        RegionInfoBuilder.newBuilder(TABLE).setStartKey(Bytes.toBytes(region)).build();
    regions.put(region, new HRegionLocation(info, server));
  }

  private Collection<MultiGet> sorted(String... rows) {
    return MultiGet.byServer(
        List.of(rows).stream().map(row -> new Get(Bytes.toBytes(row))).toList(),
        get -> Optional.ofNullable(regions.get(Bytes.toString(get.getRow()).substring(0, 1))));
  }

  /** Returns the ends of one call whose server shows each row as its own value. */
  private static Step.Ended<List<Step.Ended<Result>>> answer(
      MultiGet call, Map<String, IOException> failures) {
    try {
      Rpc<MultiResponse, List<Step.Ended<Result>>> rpc = call.rpc(7, 1_000);
      assertThat(rpc.method()).isEqualTo("Multi");
      assertThat(rpc.priority()).isEqualTo(7);
      MultiResponse.Builder reply = MultiResponse.newBuilder();
      for (RegionAction region : ((MultiRequest) rpc.request()).getRegionActionList()) {
        RegionActionResult.Builder results = RegionActionResult.newBuilder();
        region
            .getActionList()
            .forEach(
                action -> {
                  byte[] row = action.getGet().getRow().toByteArray();
                  IOException failure = failures.get(Bytes.toString(row));
                  ResultOrException.Builder result =
                      ResultOrException.newBuilder().setIndex(action.getIndex());
                  if (failure == null) {
                    Cell cell = new KeyValue(row, FAMILY, FAMILY, 1, row);
                    result.setResult(ProtobufUtil.toResult(Result.create(List.of(cell)), true));
                  } else {
                    result.setException(ResponseConverter.buildException(failure));
                  }
                  results.addResultOrException(result);
                });
        reply.addRegionActionResult(results);
      }
      return new Step.Done<>(rpc.reading().read(reply.build(), none()));
    } catch (IOException e) {
      return new Step.Failed<>(e);
    }
  }

  private static CellScanner none() {
    return CellUtil.createCellScanner(List.<Cell>of().iterator());
  }

  private static List<String> values(
      Collection<MultiGet> calls, List<Step.Ended<List<Step.Ended<Result>>>> ends) {
    return MultiGet.inOrder(calls, ends).stream()
        .map(
            end ->
                end.failure() == null
                    ? Bytes.toString(end.value().value())
                    : end.failure().getClass().getSimpleName())
        .toList();
  }

  @Test
  void oneCallForEachServer_theCallersOrder() {
    place("a", ONE);
    place("b", TWO);
    place("c", ONE);
    Collection<MultiGet> calls = sorted("c1", "b1", "a1", "c2", "b2", "a2");
    assertThat(calls).hasSize(2);
    assertThat(values(calls, calls.stream().map(call -> answer(call, Map.of())).toList()))
        .containsExactly("c1", "b1", "a1", "c2", "b2", "a2");
  }

  @Test
  void eachGetFailsAlone() {
    place("a", ONE);
    Collection<MultiGet> calls = sorted("a3", "a2", "a1");
    Map<String, IOException> refused = Map.of("a2", new DoNotRetryIOException("refused"));
    assertThat(values(calls, calls.stream().map(call -> answer(call, refused)).toList()))
        .containsExactly("a3", "DoNotRetryIOException", "a1");
  }

  @Test
  void callThatFails_failsAllOfItsGets() {
    place("a", ONE);
    place("b", TWO);
    Collection<MultiGet> calls = sorted("a1", "b1", "a2");
    List<Step.Ended<List<Step.Ended<Result>>>> ends =
        calls.stream()
            .map(
                call ->
                    call.location().getServerName().equals(ONE)
                        ? new Step.Failed<List<Step.Ended<Result>>>(new IOException("broken"))
                        : answer(call, Map.of()))
            .toList();
    assertThat(values(calls, ends)).containsExactly("IOException", "b1", "IOException");
  }

  @Test
  void regionThatIsGone_failsItsGetsAlone() throws IOException {
    place("a", ONE);
    place("b", ONE);
    Collection<MultiGet> calls = sorted("b1", "a1", "b2");
    MultiGet call = calls.iterator().next();
    MultiResponse reply =
        MultiResponse.newBuilder()
            .addRegionActionResult(
                RegionActionResult.newBuilder()
                    .addResultOrException(
                        ResultOrException.newBuilder()
                            .setIndex(1)
                            .setResult(ProtobufUtil.toResult(Result.EMPTY_RESULT))))
            .addRegionActionResult(
                RegionActionResult.newBuilder()
                    .setException(
                        ResponseConverter.buildException(new NotServingRegionException("moved"))))
            .build();
    assertThat(call.rpc(0, 1).reading().read(reply, none()))
        .extracting(end -> end.failure() instanceof NotServingRegionException)
        .containsExactly(true, false, true);
  }

  @Test
  void replyWithoutAnEndForEachGet_isRefused() throws IOException {
    place("a", ONE);
    Rpc<MultiResponse, List<Step.Ended<Result>>> rpc =
        sorted("a1", "a2").iterator().next().rpc(0, 1);
    RegionActionResult one =
        RegionActionResult.newBuilder()
            .addResultOrException(
                ResultOrException.newBuilder()
                    .setIndex(0)
                    .setResult(ProtobufUtil.toResult(Result.EMPTY_RESULT)))
            .build();
    MultiResponse half = MultiResponse.newBuilder().addRegionActionResult(one).build();
    assertThatThrownBy(() -> rpc.reading().read(half, none()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("1 of 2");
    assertThatThrownBy(() -> rpc.reading().read(MultiResponse.getDefaultInstance(), none()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("other regions");
  }

  @Test
  void unknownRegion_nothingIsSorted() {
    place("a", ONE);
    assertThat(sorted("a1", "x1")).isEmpty();
  }
}
