$node_(0) set X_ 1.0
$node_(0) set Y_ 2.0
$ns_ at 5.0 "$node_(0) setdest 10.0 20.0 1.0"
$ns_ at 3.0 "$node_(0) setdest 20.0 20.0 1.0"
$ns_ at 6.0 "$node_(7) setdest 1.0 1.0 1.0"
$ns_ at 7.0 "$node_(0) setdest 1e300 1.0 1.0"
$ns_ at 8.0 "$node_(0) setdest 1.0 1.0"
$node_(1) set X_ nan
