package io.lampone.coprocessor;

import java.io.IOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.RequestConverter;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ClientService;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos.RegionSpecifier.RegionSpecifierType;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;

/** Calls on scanners of a region server by one user, with whatever scanner number. */
final class RawScanner implements AutoCloseable {

  private static final int TIMEOUT_MILLIS = 8_000;

  private final RpcClient client;
  private final ClientService.BlockingInterface service;

  RawScanner(TinyCluster cluster, HRegionServer server, String user) {
    client = RpcClientFactory.createClient(cluster.settings(), HConstants.CLUSTER_ID_DEFAULT);
    service =
        ClientService.newBlockingStub(
            client.createBlockingRpcChannel(
                server.getServerName(),
                User.createUserForTesting(cluster.settings(), user, new String[0]),
                TIMEOUT_MILLIS));
  }

  /** Opens a scanner, and reads nothing yet; its number. */
  long open(RegionInfo region, Scan scan) throws IOException {
    return call(ScanRequest.newBuilder()
            .setRegion(
                RequestConverter.buildRegionSpecifier(
                    RegionSpecifierType.REGION_NAME, region.getRegionName()))
            .setScan(ProtobufUtil.toScan(scan))
            .setNumberOfRows(0))
        .getScannerId();
  }

  /** How many rows the next batch of up to {@code rows} has. */
  int next(long scanner, int rows) throws IOException {
    ScanResponse response =
        call(ScanRequest.newBuilder().setScannerId(scanner).setNumberOfRows(rows));
    return Math.max(response.getResultsCount(), response.getCellsPerResultCount());
  }

  void close(long scanner) throws IOException {
    call(ScanRequest.newBuilder().setScannerId(scanner).setCloseScanner(true));
  }

  private ScanResponse call(ScanRequest.Builder request) throws IOException {
    try {
      return service.scan(null, request.build());
    } catch (ServiceException e) {
      throw ProtobufUtil.handleRemoteException(e);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
