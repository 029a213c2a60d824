/** The transport on Netty. */
@NullMarked
package io.lampone.tmclient.netty;

import org.jspecify.annotations.NullMarked;
