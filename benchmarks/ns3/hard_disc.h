/* What both scenario programs share: a radio whose every overlap is a loss, and the options of the MAC.
 *
 * With RangePropagationLossModel all frames in range arrive with one power, so an overlap has a ratio of 0 dB. ns-3's
 * error models let a frame survive that now and then (43 % of cases at 2 Mbit/s); here a ratio below 3 dB is a loss and
 * anything above is received. For OFDM a model can be set. For DSSS ErrorRateModel calls DsssErrorRateModel, whose
 * functions are static: this program defines them itself, and the loader prefers its definitions to the library's.
 * Both are cheaper than what they replace, so ns-3 is not slowed down by them.
 *
 * ACK: ns-3 makes every mandatory rate basic and so acknowledges 2 Mbit/s at 2 Mbit/s and 54 Mbit/s at 24 Mbit/s. There
 * is no attribute for that, so the rate of an ACK is defined here in the same way. (RTS has one, and CTS follows RTS.)
 */
#pragma once

#include "ns3/core-module.h"
#include "ns3/dsss-error-rate-model.h"
#include "ns3/error-rate-model.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/wifi-module.h"

#include <fstream>
#include <string>
#include <sys/resource.h>

namespace hard_disc
{

inline uint64_t g_judged = 0; // chunks that were judged by us: 0 after a run with receptions means no interposition

inline std::string g_controlMode; // the rate of an ACK

inline double
SuccessRate(double ratio)
{
    ++g_judged;
    return ratio < 2.0 ? 0.0 : 1.0;
}

class ErrorRate : public ns3::ErrorRateModel
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("roamcast::HardDiscErrorRate")
                                     .SetParent<ns3::ErrorRateModel>()
                                     .AddConstructor<ErrorRate>();
        return tid;
    }

  private:
    double DoGetChunkSuccessRate(ns3::WifiMode, const ns3::WifiTxVector&, double ratio, uint64_t, uint8_t,
                                 ns3::WifiPpduField, uint16_t) const override
    {
        return SuccessRate(ratio);
    }
};

NS_OBJECT_ENSURE_REGISTERED(ErrorRate);

/** CPU seconds of this process so far, user and system. */
inline double
CpuSeconds()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/** The most memory that this program had; getrusage would count what its parent had before it started this. */
inline double
PeakMegabytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
    {
        if (line.rfind("VmHWM:", 0) == 0)
        {
            return std::stod(line.substr(6)) / 1e3;
        }
    }
    return 0;
}

/** Set what must be known before any device exists. */
inline void
SetDefaults(uint32_t queueFrames)
{
    using namespace ns3;
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize(PACKETS, queueFrames)));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(100'000))); // nothing expires
    Config::SetDefault("ns3::WifiRemoteStationManager::FragmentationThreshold", UintegerValue(65'535));
}

/** Put an ad hoc radio without QoS (so without aggregation and block acknowledgements) on every node. */
inline ns3::NetDeviceContainer
InstallRadios(const ns3::NodeContainer& nodes, ns3::WifiStandard standard, double rangeM, const std::string& dataMode,
              const std::string& controlMode)
{
    using namespace ns3;
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::RangePropagationLossModel", "MaxRange", DoubleValue(rangeM));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.SetErrorRateModel("roamcast::HardDiscErrorRate");
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac", "QosSupported", BooleanValue(false));
    WifiHelper wifi;
    wifi.SetStandard(standard);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(dataMode), "ControlMode",
                                 StringValue(controlMode), "NonUnicastMode", StringValue(dataMode));
    g_controlMode = controlMode;
    return wifi.Install(phy, mac, nodes);
}

} // namespace hard_disc

namespace ns3
{

double
DsssErrorRateModel::GetDsssDbpskSuccessRate(double ratio, uint64_t)
{
    return hard_disc::SuccessRate(ratio);
}

double
DsssErrorRateModel::GetDsssDqpskSuccessRate(double ratio, uint64_t)
{
    return hard_disc::SuccessRate(ratio);
}

double
DsssErrorRateModel::GetDsssDqpskCck5_5SuccessRate(double ratio, uint64_t)
{
    return hard_disc::SuccessRate(ratio);
}

double
DsssErrorRateModel::GetDsssDqpskCck11SuccessRate(double ratio, uint64_t)
{
    return hard_disc::SuccessRate(ratio);
}

WifiTxVector
WifiRemoteStationManager::GetAckTxVector(Mac48Address, const WifiTxVector& data) const
{
    WifiTxVector answer = data;
    answer.SetMode(WifiMode(hard_disc::g_controlMode));
    return answer;
}

} // namespace ns3
