package io.lampone.coprocessor;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;

/** A region's scanner that knows at which snapshot it reads; passes everything on. */
final class SnapshotScanner implements RegionScanner {

  private final RegionScanner scanner;
  private final long snapshot;
  private final boolean forPlainClient;

  /**
   * @param forPlainClient whether a client of HBase's own reads
   */
  SnapshotScanner(RegionScanner scanner, long snapshot, boolean forPlainClient) {
    this.scanner = scanner;
    this.snapshot = snapshot;
    this.forPlainClient = forPlainClient;
  }

  boolean isForPlainClient() {
    return forPlainClient;
  }

  long snapshot() {
    return snapshot;
  }

  @Override
  public RegionInfo getRegionInfo() {
    return scanner.getRegionInfo();
  }

  @Override
  public boolean isFilterDone() throws IOException {
    return scanner.isFilterDone();
  }

  @Override
  public boolean reseek(byte[] row) throws IOException {
    return scanner.reseek(row);
  }

  @Override
  public long getMaxResultSize() {
    return scanner.getMaxResultSize();
  }

  @Override
  public long getMvccReadPoint() {
    return scanner.getMvccReadPoint();
  }

  @Override
  public int getBatch() {
    return scanner.getBatch();
  }

  @Override
  public String getOperationId() {
    return scanner.getOperationId();
  }

  @Override
  public boolean nextRaw(List<Cell> result) throws IOException {
    return scanner.nextRaw(result);
  }

  @Override
  public boolean nextRaw(List<Cell> result, ScannerContext context) throws IOException {
    return scanner.nextRaw(result, context);
  }

  @Override
  public boolean next(List<Cell> result) throws IOException {
    return scanner.next(result);
  }

  @Override
  public boolean next(List<Cell> result, ScannerContext context) throws IOException {
    return scanner.next(result, context);
  }

  @Override
  public void close() throws IOException {
    scanner.close();
  }
}
