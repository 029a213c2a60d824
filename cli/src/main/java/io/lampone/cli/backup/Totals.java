package io.lampone.cli.backup;

/**
 * What a part holds.
 *
 * @param bytes of its cells
 * @param crc CRC-32C of the whole file
 */
record Totals(long rows, long cells, long bytes, int crc) {}
