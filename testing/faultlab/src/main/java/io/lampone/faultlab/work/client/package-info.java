/** The client process of the fault lab. */
@NullMarked
package io.lampone.faultlab.work.client;

import org.jspecify.annotations.NullMarked;
