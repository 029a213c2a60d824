package io.lampone.cli.backup;

/**
 * Contents of a part.
 *
 * @param bytes of its cells
 * @param crc CRC-32C of the whole file
 */
record Totals(long rows, long cells, long bytes, int crc) {}
